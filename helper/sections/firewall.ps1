# The Windows Firewall: profiles, and every rule with its protocol and port.

function Get-FirewallSection {
    $profiles = Get-CimInstance -Namespace root/StandardCimv2 -ClassName MSFT_NetFirewallProfile |
        # A profile that is not configured (2, in policies) has what Windows does by default, which is on.
        Select-Object -Property 'Name', @{ Name = 'Enabled'; Expression = { [int]$_.Enabled -ne 0 } }
    # Ports are objects of their own, under the id of their rule. Asked for one by one they would take minutes.
    $ports = @{}
    foreach ($filter in @(Get-CimInstance -Namespace root/StandardCimv2 -ClassName MSFT_NetProtocolPortFilter)) {
        $ports[$filter.InstanceID] = $filter
    }
    $rules = foreach ($rule in @(Get-CimInstance -Namespace root/StandardCimv2 -ClassName MSFT_NetFirewallRule)) {
        $filter = $ports[$rule.InstanceID]
        [pscustomobject]@{
            Name        = $rule.InstanceID
            DisplayName = $rule.DisplayName
            Enabled     = [int]$rule.Enabled -eq 1
            Direction   = ConvertTo-EnumName -Kind RuleDirection -Value $rule.Direction
            Action      = ConvertTo-EnumName -Kind RuleAction -Value $rule.Action
            Protocol    = Get-Field -InputObject $filter -Name Protocol
            LocalPort   = [string]::Join(',', @(Get-Field -InputObject $filter -Name LocalPort))
        }
    }
    [pscustomobject]@{ Profiles = @($profiles); Rules = @($rules) }
}
