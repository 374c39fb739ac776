// Written by `cargo xtask regen` from spec/openapi.yaml; edit that, or xtask/src/python/rust.rs.

use super::{Field, body};

body! { INCIDENT_UPDATE "IncidentUpdate" {
    Field::optional("status", "status");
    Field::required("incident_type_id", "incidentTypeId");
    Field::required("severity", "severity");
    Field::optional("reported_by_group_id", "reportedByGroupId").nullable();
    Field::optional("follow_up_group_id", "followUpGroupId").nullable();
    Field::optional("responsible_user_id", "responsibleUserId").nullable();
    Field::required("title", "title");
    Field::optional("text", "text").nullable();
    Field::required("incident_date", "incidentDate");
    Field::optional("resolved_date", "resolvedDate").nullable();
    Field::optional("due_date", "dueDate").nullable();
    Field::optional("evaluation_status", "evaluationStatus").nullable();
    Field::optional("evaluation_text", "evaluationText").nullable();
    Field::optional("is_anonymous", "isAnonymous");
    Field::optional("area_id", "areaId").nullable();
    Field::optional("project_id", "projectId").nullable();
    Field::optional("external_id", "externalId").nullable();
} }

body! { INCIDENT_CREATE "IncidentCreate" {
    Field::optional("status", "status");
    Field::required("incident_type_id", "incidentTypeId");
    Field::required("severity", "severity");
    Field::optional("reported_by_group_id", "reportedByGroupId").nullable();
    Field::optional("follow_up_group_id", "followUpGroupId").nullable();
    Field::optional("responsible_user_id", "responsibleUserId").nullable();
    Field::required("title", "title");
    Field::optional("text", "text").nullable();
    Field::required("incident_date", "incidentDate");
    Field::optional("resolved_date", "resolvedDate").nullable();
    Field::optional("due_date", "dueDate").nullable();
    Field::optional("evaluation_status", "evaluationStatus").nullable();
    Field::optional("evaluation_text", "evaluationText").nullable();
    Field::optional("is_anonymous", "isAnonymous");
    Field::optional("area_id", "areaId").nullable();
    Field::optional("project_id", "projectId").nullable();
    Field::optional("external_id", "externalId").nullable();
    Field::optional("created_by_user_id", "createdByUserId").nullable();
    Field::optional("consequences", "consequences").many(&CONSEQUENCE_INPUT).nullable();
    Field::required("categories", "categories").many(&CATEGORY_INPUT);
    Field::optional("causes", "causes").many(&CAUSE_INPUT).nullable();
    Field::optional("custom_fields", "customFields").many(&CUSTOM_FIELD_INPUT).nullable();
} }

body! { INCIDENT_STATUS_UPDATE "IncidentStatusUpdate" {
    Field::required("status", "status");
} }

body! { INCIDENT_SEVERITY_UPDATE "IncidentSeverityUpdate" {
    Field::optional("severity", "severity");
} }

body! { INCIDENT_RESPONSIBLE_UPDATE "IncidentResponsibleUpdate" {
    Field::required("follow_up_group_id", "followUpGroupId");
    Field::required("responsible_user_id", "responsibleUserId");
} }

body! { INCIDENT_CUSTOM_FIELD_UPDATE "IncidentCustomFieldUpdate" {
    Field::required("value", "value");
} }

body! { CONSEQUENCE_INPUT "ConsequenceInput" {
    Field::required("id", "id");
    Field::optional("amount", "amount").nullable();
    Field::optional("unit", "unit").nullable();
    Field::optional("title", "title").nullable();
} }

body! { CATEGORY_INPUT "CategoryInput" {
    Field::required("id", "id");
    Field::optional("title", "title").nullable();
} }

body! { CAUSE_INPUT "CauseInput" {
    Field::required("id", "id");
    Field::optional("title", "title").nullable();
} }

body! { CUSTOM_FIELD_INPUT "CustomFieldInput" {
    Field::required("id", "id");
    Field::optional("value", "value").nullable();
} }

body! { IMPROVEMENT_UPDATE "ImprovementUpdate" {
    Field::optional("title", "title").nullable();
    Field::optional("suggested_by_user_id", "suggestedByUserId").nullable();
    Field::optional("status", "status");
    Field::optional("priority_status", "priorityStatus");
    Field::optional("group_id", "groupId").nullable();
    Field::optional("text", "text").nullable();
    Field::optional("category_id", "categoryId").nullable();
    Field::optional("project_id", "projectId").nullable();
    Field::optional("due_date", "dueDate").nullable();
    Field::optional("responsible_user_id", "responsibleUserId").nullable();
    Field::optional("external_id", "externalId").nullable();
    Field::optional("cost_of_investment", "costOfInvestment").nullable();
    Field::optional("gain_of_investment", "gainOfInvestment").nullable();
    Field::optional("cost_of_investment_hours", "costOfInvestmentHours").nullable();
    Field::optional("gain_of_investment_hours", "gainOfInvestmentHours").nullable();
    Field::optional("estimated_cost_of_investment", "estimatedCostOfInvestment").nullable();
    Field::optional("estimated_gain_of_investment", "estimatedGainOfInvestment").nullable();
    Field::optional("estimated_cost_of_investment_hours", "estimatedCostOfInvestmentHours").nullable();
    Field::optional("estimated_gain_of_investment_hours", "estimatedGainOfInvestmentHours").nullable();
    Field::optional("evaluation_status", "evaluationStatus").nullable();
    Field::optional("evaluation_text", "evaluationText").nullable();
} }

body! { IMPROVEMENT_CREATE "ImprovementCreate" {
    Field::required("title", "title");
    Field::required("suggested_by_user_id", "suggestedByUserId");
    Field::optional("status", "status");
    Field::optional("priority_status", "priorityStatus");
    Field::optional("group_id", "groupId").nullable();
    Field::optional("text", "text").nullable();
    Field::optional("category_id", "categoryId").nullable();
    Field::optional("project_id", "projectId").nullable();
    Field::optional("due_date", "dueDate").nullable();
    Field::optional("responsible_user_id", "responsibleUserId").nullable();
    Field::optional("external_id", "externalId").nullable();
    Field::optional("cost_of_investment", "costOfInvestment").nullable();
    Field::optional("gain_of_investment", "gainOfInvestment").nullable();
    Field::optional("cost_of_investment_hours", "costOfInvestmentHours").nullable();
    Field::optional("gain_of_investment_hours", "gainOfInvestmentHours").nullable();
    Field::optional("estimated_cost_of_investment", "estimatedCostOfInvestment").nullable();
    Field::optional("estimated_gain_of_investment", "estimatedGainOfInvestment").nullable();
    Field::optional("estimated_cost_of_investment_hours", "estimatedCostOfInvestmentHours").nullable();
    Field::optional("estimated_gain_of_investment_hours", "estimatedGainOfInvestmentHours").nullable();
    Field::optional("evaluation_status", "evaluationStatus").nullable();
    Field::optional("evaluation_text", "evaluationText").nullable();
} }

body! { DATASOURCE_VALUE_INPUT "DatasourceValueInput" {
    Field::required("value", "value");
    Field::required("value_date", "valueDate");
    Field::optional("area_id", "areaId").nullable();
    Field::optional("asset_id", "assetId").nullable();
    Field::optional("project_id", "projectId").nullable();
    Field::optional("description", "description").nullable();
    Field::optional("dimension", "dimension").nullable();
    Field::optional("dimension2", "dimension2").nullable();
    Field::optional("dimension3", "dimension3").nullable();
    Field::optional("dimension4", "dimension4").nullable();
    Field::optional("external_id", "externalId").nullable();
} }

body! { GROUP_CREATE "GroupCreate" {
    Field::required("name", "name");
    Field::optional("type", "type");
    Field::optional("description", "description").nullable();
    Field::optional("parent_id", "parentId").nullable();
    Field::optional("project_id", "projectId").nullable();
    Field::optional("business_unit_id", "businessUnitId").nullable();
    Field::optional("buisness_unit_id", "buisnessUnitId").nullable();
    Field::optional("external_id", "externalId").nullable();
} }

body! { GROUP_MEMBER_CREATE "GroupMemberCreate" {
    Field::required("user_id", "userId");
    Field::required("group_role", "groupRole");
} }

body! { USER_CREATE_V1 "UserCreateV1" {
    Field::required("user_name", "userName");
    Field::required("email", "email");
    Field::optional("use_ad", "useAD");
    Field::optional("azure_ad_object_id", "azureAdObjectId").nullable();
    Field::required("first_name", "firstName");
    Field::required("last_name", "lastName");
    Field::optional("screen_name", "screenName").nullable();
    Field::optional("is_info_screen_user", "isInfoScreenUser");
    Field::optional("is_mobile_user", "isMobileUser");
    Field::optional("business_unit_id", "businessUnitId").nullable();
    Field::optional("external_id", "externalId").nullable();
} }

body! { USER_UPDATE_V1 "UserUpdateV1" {
    Field::required("user_name", "userName");
    Field::required("email", "email");
    Field::optional("use_ad", "useAD");
    Field::optional("azure_ad_object_id", "azureAdObjectId").nullable();
    Field::required("first_name", "firstName");
    Field::required("last_name", "lastName");
    Field::optional("screen_name", "screenName").nullable();
    Field::optional("is_info_screen_user", "isInfoScreenUser");
    Field::optional("is_mobile_user", "isMobileUser");
    Field::optional("business_unit_id", "businessUnitId").nullable();
    Field::optional("external_id", "externalId").nullable();
} }

body! { USER_CREATE_V2 "UserCreateV2" {
    Field::required("first_name", "firstName");
    Field::required("last_name", "lastName");
    Field::required("type", "type");
    Field::optional("display_name", "displayName").nullable();
    Field::required("user_name", "userName");
    Field::required("email", "email");
    Field::optional("business_unit_id", "businessUnitId").nullable();
    Field::optional("external_id", "externalId").nullable();
} }

body! { USER_UPDATE_V2 "UserUpdateV2" {
    Field::required("first_name", "firstName");
    Field::required("last_name", "lastName");
    Field::required("type", "type");
    Field::optional("display_name", "displayName").nullable();
    Field::required("user_name", "userName");
    Field::required("email", "email");
    Field::optional("business_unit_id", "businessUnitId").nullable();
    Field::optional("external_id", "externalId").nullable();
} }

body! { USER_PATCH "UserPatch" {
    Field::optional("first_name", "firstName");
    Field::optional("last_name", "lastName");
    Field::optional("type", "type");
    Field::optional("display_name", "displayName").nullable();
    Field::optional("user_name", "userName");
    Field::optional("email", "email");
    Field::optional("business_unit_id", "businessUnitId").nullable();
    Field::optional("external_id", "externalId").nullable();
} }

body! { DATA_LIST_ITEM_CREATE "DataListItemCreate" {
    Field::required("identifier", "identifier");
    Field::optional("name", "name").nullable();
} }

body! { PROJECT_CREATE "ProjectCreate" {
    Field::required("project_number", "projectNumber");
    Field::required("name", "name");
    Field::optional("status", "status").nullable();
    Field::optional("description", "description").nullable();
    Field::optional("start_date", "startDate").nullable();
    Field::optional("end_date", "endDate").nullable();
    Field::optional("estimated_start_date", "estimatedStartDate").nullable();
    Field::optional("estimated_end_date", "estimatedEndDate").nullable();
    Field::optional("customer_number", "customerNumber").nullable();
    Field::optional("owner_email", "ownerEmail").nullable();
    Field::optional("members_email", "membersEmail").nullable();
    Field::optional("external_id", "externalId").nullable();
} }

body! { PROJECT_MILESTONE_CREATE "ProjectMilestoneCreate" {
    Field::required("name", "name");
    Field::optional("planned_date", "plannedDate").nullable();
    Field::optional("actual_date", "actualDate").nullable();
} }

body! { PROJECT_MILESTONE_UPDATE "ProjectMilestoneUpdate" {
    Field::required("name", "name");
    Field::optional("planned_date", "plannedDate").nullable();
    Field::optional("actual_date", "actualDate").nullable();
} }

body! { TASK_INFO_CREATE "TaskInfoCreate" {
    Field::optional("external_id", "externalId").nullable();
    Field::optional("board_id", "boardId").nullable();
    Field::required("title", "title");
    Field::optional("description", "description").nullable();
    Field::optional("status", "status");
    Field::optional("responsible_user_id", "responsibleUserId").nullable();
    Field::optional("due_date", "dueDate").nullable();
    Field::optional("start_date", "startDate").nullable();
    Field::optional("row_category_id", "rowCategoryId").nullable();
    Field::optional("column_category_id", "columnCategoryId").nullable();
    Field::optional("tags", "tags").nullable();
} }

body! { TASK_INFO_UPDATE "TaskInfoUpdate" {
    Field::optional("external_id", "externalId").nullable();
    Field::optional("board_id", "boardId").nullable();
    Field::required("title", "title");
    Field::optional("description", "description").nullable();
    Field::optional("status", "status");
    Field::optional("responsible_user_id", "responsibleUserId").nullable();
    Field::optional("due_date", "dueDate").nullable();
    Field::optional("start_date", "startDate").nullable();
    Field::optional("row_category_id", "rowCategoryId").nullable();
    Field::optional("column_category_id", "columnCategoryId").nullable();
    Field::optional("tags", "tags").nullable();
} }

body! { TASK_CREATE "TaskCreate" {
    Field::optional("responsible_user_id", "responsibleUserId").nullable();
    Field::optional("external_id", "externalId").nullable();
    Field::optional("parent_id", "parentId").nullable();
    Field::optional("board_id", "boardId").nullable();
    Field::required("title", "title");
    Field::optional("description", "description").nullable();
    Field::required("status", "status");
    Field::optional("due_date", "dueDate").nullable();
    Field::optional("start_date", "startDate").nullable();
    Field::optional("row_category_id", "rowCategoryId").nullable();
    Field::optional("column_category_id", "columnCategoryId").nullable();
    Field::optional("color", "color").nullable();
    Field::optional("tags", "tags").nullable();
} }

body! { TASK_COMMENT_CREATE "TaskCommentCreate" {
    Field::required("task_id", "taskId");
    Field::optional("parent_id", "parentId").nullable();
    Field::required("comment", "comment");
    Field::optional("mentions", "mentions").nullable();
} }

body! { TASK_UPDATE "TaskUpdate" {
    Field::optional("responsible_user_id", "responsibleUserId").nullable();
    Field::optional("external_id", "externalId").nullable();
    Field::optional("board_id", "boardId").nullable();
    Field::required("title", "title");
    Field::optional("description", "description").nullable();
    Field::required("status", "status");
    Field::optional("due_date", "dueDate").nullable();
    Field::optional("start_date", "startDate").nullable();
    Field::optional("row_category_id", "rowCategoryId").nullable();
    Field::optional("column_category_id", "columnCategoryId").nullable();
    Field::optional("color", "color").nullable();
    Field::optional("tags", "tags").nullable();
} }

body! { TASK_PATCH "TaskPatch" {
    Field::optional("responsible_user_id", "responsibleUserId").nullable();
    Field::optional("external_id", "externalId").nullable();
    Field::optional("board_id", "boardId").nullable();
    Field::optional("title", "title");
    Field::optional("description", "description").nullable();
    Field::optional("status", "status");
    Field::optional("due_date", "dueDate").nullable();
    Field::optional("start_date", "startDate").nullable();
    Field::optional("row_category_id", "rowCategoryId").nullable();
    Field::optional("column_category_id", "columnCategoryId").nullable();
    Field::optional("color", "color").nullable();
    Field::optional("tags", "tags").nullable();
} }
